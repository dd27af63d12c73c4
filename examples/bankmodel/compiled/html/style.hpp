// SPDX-License-Identifier: MIT
#pragma once

namespace compiled {

// The style sheet of the page in HTML. Colours are those of the pictures. Where a line costs more
// than its ideal there is a mark too, not only a colour.
inline constexpr const char* style_sheet = R"css(
:root{color-scheme:light dark;--text:#1f2328;--soft:#59636e;--page:#fff;--box:#f6f8fa;
--edge:#d1d9e0;--over:#ffebe9;--bad:#b31d28;--link:#0550ae;--new:#dafbe1;
--word:#a40e26;--value:#0550ae;--directive:#6639ba}
@media (prefers-color-scheme:dark){:root{--text:#f0f6fc;--soft:#9198a1;--page:#0d1117;
--box:#151b23;--edge:#3d444d;--over:#3c1618;--bad:#ff8f89;--link:#79c0ff;--new:#12361f;
--word:#ff8f89;--value:#79c0ff;--directive:#d2a8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
main{max-width:76rem;margin:0 auto;padding:1rem}
h1,h2,h3{line-height:1.25;overflow-wrap:anywhere}h1{margin:.5rem 0}
h2{margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--edge)}h3{margin:1.5rem 0 .5rem}
p,li,dd{overflow-wrap:anywhere}p{margin:.4rem 0}a{color:var(--link)}nav ul{padding-left:1.2rem}
code .c{color:var(--soft)}code .w{color:var(--word)}code .v{color:var(--value)}
code .p{color:var(--directive)}
code,.listing,td,.facts dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,
"Liberation Mono","DejaVu Sans Mono",monospace;font-size:.875rem}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
.facts dt,.quiet,th{color:var(--soft)}.facts dd{margin:0}
.bad{color:var(--bad);font-weight:700}
.listing{border:1px solid var(--edge);border-radius:6px;margin:.5rem 0 1rem;overflow:hidden}
.file{background:var(--box);padding:.4rem .6rem;border-bottom:1px solid var(--edge);
overflow-wrap:anywhere}
.line,summary{display:grid;grid-template-columns:4ch var(--shared) var(--global) var(--number) 1fr;
column-gap:2ch;padding:0 .6rem;font-variant-numeric:tabular-nums}
.line>*,summary>*{white-space:pre-wrap;overflow-wrap:anywhere}
.line>.sign,summary>.sign{white-space:pre}
.cost,.number{text-align:right}.number{color:var(--soft)}
.titles{color:var(--soft);border-bottom:1px solid var(--edge);padding-top:.2rem;padding-bottom:.2rem}
summary{cursor:pointer;list-style:none}summary::-webkit-details-marker{display:none}
summary:hover,summary:focus-visible{background:var(--box)}
.over summary{background:var(--over)}.over .cost.more,.over .sign{color:var(--bad);font-weight:700}
summary .sign::before{content:"\25b8\a0";color:var(--soft);font-weight:400}
details[open] summary .sign::before{content:"\25be\a0"}
:target>summary,.line:target{outline:2px solid var(--link);outline-offset:-2px}
.line,.listing details{scroll-margin-top:3rem}
.fix{border-left:4px solid #2da44e;padding:.3rem .8rem;background:var(--box);
font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:1rem}
.becomes{display:grid;grid-template-columns:2ch 1fr;background:var(--new);border-radius:4px;
padding:.1rem .4rem}.becomes code{white-space:pre-wrap;overflow-wrap:anywhere}
.folded summary{display:block;color:var(--link)}
.behind{padding:.6rem 1rem 1rem;border-block:1px solid var(--edge);background:var(--page);
font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:1rem}
.behind h4{margin:.8rem 0 .2rem;font-size:1rem;overflow-wrap:anywhere}.behind p{margin:.2rem 0}
figure{margin:.6rem 0;overflow-x:auto}figure svg{max-width:100%;height:auto;display:block}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:0 1rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;min-width:60%}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--edge);white-space:nowrap}
th{font-weight:400}th:nth-child(2),td:nth-child(2){text-align:left}
tr:last-child td{border-bottom:0;font-weight:700}
.fields{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem}.fields input{width:14ch;font:inherit}
td output{display:block;color:var(--soft)}
@media (max-width:44rem){main{padding:.5rem}code,.listing,td,.facts dd{font-size:.75rem}
.behind,.fix{font-size:.9rem;padding:.5rem}.behind code,.fix code{font-size:.75rem}
.titles{display:none}.line,summary{padding:0 .3rem;column-gap:.6ch;
grid-template-columns:3ch var(--number) minmax(0,1fr)}
.sign{grid-area:1/1}.line>:first-child{grid-area:1/1}.number{grid-area:1/2}
.line>code,summary>code{grid-area:1/3}.line>.cost,summary>.cost{grid-column:3;text-align:left}
.cost:empty{display:none}.cost[data-unit]::after{content:" " attr(data-unit);color:var(--soft)}
.facts{display:block}.facts dd{margin-bottom:.3rem}
thead{display:none}table,tbody,tr,td{display:block;min-width:0}
tr{padding:.4rem 0;border-bottom:1px solid var(--edge)}
td,td:nth-child(2){border:0;padding:0;text-align:left;white-space:normal;overflow-wrap:anywhere}
td[data-title]{display:inline-block;margin-right:1.5ch}
td[data-title]::before{content:attr(data-title) " ";color:var(--soft);font-weight:400}
figure svg{min-width:36rem}.pair{grid-template-columns:minmax(0,1fr)}}
)css";

}  // namespace compiled
