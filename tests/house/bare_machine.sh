#!/usr/bin/env bash
# The README's two commands, each on a bare Debian: a base system of its own without any other package, as root, with nothing but
# apt. The checkout's last commit is copied there. It takes about twenty minutes of two cores for a suite; the times are printed.
#   bare_machine.sh SUITE [demo|test]     SUITE: bookworm or trixie; without a name both commands
#   BANKMODEL_BARE_FOLDER=FOLDER          base systems and packages are kept in it, so that a second run fetches nothing again
#   BANKMODEL_BARE_COMMAND=COMMAND        runs this in the project's folder instead of the README's command, for a look
# It needs root, debootstrap (apt-get install debootstrap) and 12 GB of disk. The mirror is the one of this machine's apt.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${1:-}
names=("${@:2}")
[[ $suite =~ ^[a-z]+$ ]] || { echo "usage: bare_machine.sh SUITE [demo|test], as bare_machine.sh bookworm" >&2; exit 2; }
[ ${#names[@]} -gt 0 ] || names=(demo test)

# The mirrors of SUITE and of its security updates: those of the system that runs.
mirror_of() { # PATTERN of the suite's name
  apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    awk -v pattern="^$(. /etc/os-release && echo "$VERSION_CODENAME")$1\$" '$2 ~ pattern {print $1; exit}'
}
mirror=$(mirror_of "")
security=$(mirror_of -security)
[ -n "$mirror" ] || { echo "bare_machine.sh: apt of this machine has no mirror of Debian" >&2; exit 2; }

folder=${BANKMODEL_BARE_FOLDER:-}
[ -z "$folder" ] || mkdir -p "$folder"
work=$(mktemp -d "${folder:-/var/tmp}/bankmodel-bare-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
[ -n "$folder" ] || folder=$work
base=$folder/$suite.base packages=$folder/$suite.packages
mkdir -p "$packages"
if [ ! -e "$base/etc/debian_version" ]; then
  echo "== debootstrap $suite"
  debootstrap --variant=minbase "$suite" "$base.new" "$mirror" >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log"; exit 2; }
  mv "$base.new" "$base"
fi

command_of() { # the shell block under <!-- NAME -->
  awk -v mark="<!-- $1 -->" '$0 == mark {found = 1} found && /^```$/ {exit} found && open {print} found && /^```sh$/ {open = 1}' README.md
}

# What the command sees: no variable of this machine, no file of it but the clone, and no terminal. Its mounts and its processes
# end with it, whatever happens.
in_tree='
  set -e
  mount -t proc proc "$1/proc"
  mount --bind "$2" "$1/var/cache/apt/archives"
  mount -t tmpfs tmpfs "$1/dev/shm" 2>/dev/null || true
  exec env -i HOME=/root USER=root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    chroot "$1" bash -c "cd /root/bankmodel && $3" </dev/null'

failed=0 summary=()
for name in "${names[@]}"; do
  command=${BANKMODEL_BARE_COMMAND:-$(command_of "$name")}
  [ -n "$command" ] || { echo "README.md has no $name command"; exit 2; }
  tree=$work/$name
  cp -a "$base" "$tree"
  {
    echo "deb $mirror $suite main"
    echo "deb $mirror $suite-updates main"
    [ -z "$security" ] || echo "deb $security $suite-security main"
  } >"$tree/etc/apt/sources.list"
  git clone --quiet --depth 1 "file://$PWD" "$tree/root/bankmodel"
  mkdir -p "$tree/dev/shm" "$packages/partial"
  printf '== %s, README: %s\n%s\n' "$suite" "$name" "$command"
  begin=$SECONDS code=0
  unshare --mount --pid --fork --kill-child bash -c "$in_tree" bash "$tree" "$packages" "$command" || code=$?
  [ $code -eq 0 ] || failed=1
  took=$((SECONDS - begin))
  summary+=("$suite, README: $name: exit code $code after $((took / 60)) min $((took % 60)) s")
  echo "== ${summary[-1]}"
  [ -n "${BANKMODEL_BARE_KEEP:-}" ] || rm -rf --one-file-system "$tree"
done
printf '%s\n' "${summary[@]}"
exit $failed
