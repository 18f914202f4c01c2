# The package: libstiction (all rooms in one shared library), the public headers, the program, and what find_package(stiction) needs, from an install prefix or from
# the build folder itself. The wheels' libraries are installed beside it, out of the loader's sight.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(STICTION_PRIVATE_LIBRARIES "${CMAKE_INSTALL_LIBDIR}/stiction/lib")
set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/stiction")

file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.hpp" "${PROJECT_SOURCE_DIR}/include/*.hpp")
set(headers_stamp "${PROJECT_BINARY_DIR}/include/headers.stamp")
add_custom_command(OUTPUT "${headers_stamp}"
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${PROJECT_BINARY_DIR}/include -P "${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake"
  COMMAND ${CMAKE_COMMAND} -E touch "${headers_stamp}"
  DEPENDS ${headers} "${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake" COMMENT "Public headers")
add_custom_target(stiction_headers DEPENDS "${headers_stamp}")

get_property(rooms GLOBAL PROPERTY stiction_rooms)
get_property(parts GLOBAL PROPERTY stiction_parts)
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(stiction_library SHARED ${rooms})
add_library(stiction::stiction ALIAS stiction_library)
add_dependencies(stiction_library stiction_headers)
set_target_properties(stiction_library PROPERTIES OUTPUT_NAME stiction EXPORT_NAME stiction VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  INSTALL_RPATH "$ORIGIN/stiction/lib")
# Eigen types cross the interface: users must lay them out as the library does.
target_compile_definitions(stiction_library INTERFACE EIGEN_MAX_ALIGN_BYTES=16)
target_compile_features(stiction_library INTERFACE cxx_std_20)
set_target_properties(stiction_library PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(stiction_library PUBLIC Eigen3::Eigen PRIVATE ${parts})
target_include_directories(stiction_library INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

set_target_properties(stiction PROPERTIES INSTALL_RPATH "$ORIGIN/../${STICTION_PRIVATE_LIBRARIES}")
install(TARGETS stiction RUNTIME_DEPENDENCY_SET stiction_dependencies)
install(TARGETS stiction_library EXPORT stictionTargets RUNTIME_DEPENDENCY_SET stiction_dependencies)
install(RUNTIME_DEPENDENCY_SET stiction_dependencies
  DIRECTORIES "${STICTION_SITE}/cmeel.prefix/lib" "${STICTION_SITE}/mujoco"
  POST_INCLUDE_REGEXES "^${STICTION_WHEELS}/" POST_EXCLUDE_REGEXES ".*"
  DESTINATION "${STICTION_PRIVATE_LIBRARIES}")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/stiction" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_BINARY_DIR}/share/stiction/scenes" DESTINATION "${CMAKE_INSTALL_DATADIR}/stiction")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/docs/third-party.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stictionConfig.cmake.in" "${PROJECT_BINARY_DIR}/${config_folder}/stictionConfig.cmake" INSTALL_DESTINATION "${config_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/${config_folder}/stictionConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/${config_folder}/stictionConfig.cmake" "${PROJECT_BINARY_DIR}/${config_folder}/stictionConfigVersion.cmake" DESTINATION "${config_folder}")
install(EXPORT stictionTargets NAMESPACE stiction:: DESTINATION "${config_folder}")
export(EXPORT stictionTargets NAMESPACE stiction:: FILE "${PROJECT_BINARY_DIR}/${config_folder}/stictionTargets.cmake")
