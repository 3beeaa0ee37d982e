/* The version of the library. It stands here once; the build reads it from this line. */
#ifndef ADMISSION_VERSION_H
#define ADMISSION_VERSION_H

#define ADMISSION_VERSION "0.1.0"

#endif
