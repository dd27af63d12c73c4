// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_VERSION_HPP
#define BANKMODEL_VERSION_HPP

// The version of these headers, for #if. CMake, pkg-config and the command line read it from here.
// CHANGELOG.md says which changes raise which number.
#define BANKMODEL_VERSION_MAJOR 0
#define BANKMODEL_VERSION_MINOR 1
#define BANKMODEL_VERSION_PATCH 0

// One number to compare: 10203 is version 1.2.3.
#define BANKMODEL_VERSION \
  (BANKMODEL_VERSION_MAJOR * 10000 + BANKMODEL_VERSION_MINOR * 100 + BANKMODEL_VERSION_PATCH)

// The same as text: "1.2.3".
#define BANKMODEL_VERSION_STRING \
  BANKMODEL_VERSION_TEXT(BANKMODEL_VERSION_MAJOR, BANKMODEL_VERSION_MINOR, BANKMODEL_VERSION_PATCH)
#define BANKMODEL_VERSION_TEXT(major, minor, patch) BANKMODEL_VERSION_DOTS(major, minor, patch)
#define BANKMODEL_VERSION_DOTS(major, minor, patch) #major "." #minor "." #patch

#endif
