# Pages in HTML in a headless browser: 390 pixels wide nothing is cut, rows lead to their lines, a kernel of 40 lines takes
# less than 300 kB.
#   cmake -DTOOL=bankmodel -DSOURCE=the project -DSCRATCH=a folder -DCLANG=1 -P html_page.cmake
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/../support/browser.cmake)
find_browser("apt-get install -y --no-install-recommends nodejs chromium")
if(NOT node)
  return()
endif()
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(pages "")
# A page of these arguments.
function(make_page name)
  execute_process(COMMAND ${TOOL} ${ARGN} --html ${SCRATCH}/${name}.html OUTPUT_QUIET ERROR_VARIABLE wrong RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "bankmodel ${ARGN} --html: ${code}\n${wrong}")
  endif()
  list(APPEND pages ${SCRATCH}/${name}.html)
  set(pages ${pages} PARENT_SCOPE)
endfunction()
make_page(notation ${SOURCE}/examples/kernel_files/transpose.kernel -m sm_35 -m sm_90)
if(CLANG)
  foreach(kernel IN ITEMS transpose sgemm_float4 matmul fft)
    make_page(${kernel} ${SOURCE}/examples/cuda/${kernel}.cu)
  endforeach()
  file(WRITE ${SCRATCH}/unknown.cu "struct very_long_name_of_a_structure { float first, second, third; };
__global__ void __launch_bounds__(256) several_unknown_numbers(very_long_name_of_a_structure* points, float* out, int rows, long columns) {
  __shared__ float transposed_tile_of_the_matrix[32][32];
  for (long k = 0; k < columns; k += 16) transposed_tile_of_the_matrix[threadIdx.x % 32][(k + threadIdx.x / 32) % 32] = points[k * rows + threadIdx.x].second;
  __syncthreads();
  out[threadIdx.x * rows] = transposed_tile_of_the_matrix[0][threadIdx.x % 32];
}
")
  make_page(unknown ${SCRATCH}/unknown.cu --alternatives)
endif()
execute_process(COMMAND ${node} ${CMAKE_CURRENT_LIST_DIR}/html_page.mjs ${SCRATCH} ${pages} COMMAND_ERROR_IS_FATAL ANY)
