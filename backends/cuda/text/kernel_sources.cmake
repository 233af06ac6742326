# cmake -DROOT=... -DSOURCES=a;b -DOUT=... -P kernel_sources.cmake: writes kernel_sources.cc.
set(text "#include \"backends/cuda/text/kernel_sources.h\"\n\nnamespace assay::cuda::text {\n\n")
string(APPEND text "const KernelSource kKernelSources[] = {\n")
foreach(source IN LISTS SOURCES)
  file(READ ${ROOT}/${source} content)
  string(APPEND text "    {\"${source}\", R\"assay(${content})assay\"},\n")
endforeach()
string(APPEND text "    {}};\n\n}  // namespace assay::cuda::text\n")
file(WRITE ${OUT} "${text}")
