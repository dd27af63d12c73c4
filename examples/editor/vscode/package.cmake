# Packs the extension for VS Code, which needs no other program for it:
#   cmake -DTO=build/bankmodel.vsix -P examples/editor/vscode/package.cmake
#   code --install-extension build/bankmodel.vsix
cmake_minimum_required(VERSION 3.22)
if(NOT DEFINED TO)
  message(FATAL_ERROR "name the file: cmake -DTO=build/bankmodel.vsix -P ${CMAKE_CURRENT_LIST_FILE}")
endif()
get_filename_component(TO ${TO} ABSOLUTE)
set(work ${TO}.files)
file(REMOVE_RECURSE ${work})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/package.json ${CMAKE_CURRENT_LIST_DIR}/extension.js DESTINATION ${work}/extension)
file(READ ${CMAKE_CURRENT_LIST_DIR}/package.json package)
foreach(key IN ITEMS name displayName description version publisher)
  string(JSON ${key} GET "${package}" ${key})
endforeach()
string(JSON engine GET "${package}" engines vscode)
file(WRITE ${work}/extension.vsixmanifest "<?xml version=\"1.0\" encoding=\"utf-8\"?>
<PackageManifest Version=\"2.0.0\" xmlns=\"http://schemas.microsoft.com/developer/vsx-schema/2011\">
  <Metadata>
    <Identity Language=\"en-US\" Id=\"${name}\" Version=\"${version}\" Publisher=\"${publisher}\"/>
    <DisplayName>${displayName}</DisplayName>
    <Description xml:space=\"preserve\">${description}</Description>
    <Categories>Linters</Categories>
    <Properties>
      <Property Id=\"Microsoft.VisualStudio.Code.Engine\" Value=\"${engine}\"/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id=\"Microsoft.VisualStudio.Code\"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type=\"Microsoft.VisualStudio.Code.Manifest\" Path=\"extension/package.json\" Addressable=\"true\"/>
  </Assets>
</PackageManifest>
")
file(WRITE ${work}/[Content_Types].xml "<?xml version=\"1.0\" encoding=\"utf-8\"?>
<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">
  <Default Extension=\".json\" ContentType=\"application/json\"/>
  <Default Extension=\".js\" ContentType=\"application/javascript\"/>
  <Default Extension=\".vsixmanifest\" ContentType=\"text/xml\"/>
</Types>
")
execute_process(COMMAND ${CMAKE_COMMAND} -E tar cf ${TO} --format=zip extension.vsixmanifest [Content_Types].xml extension
                WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${work})
message(STATUS "${TO}: code --install-extension ${TO}")
