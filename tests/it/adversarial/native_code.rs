//! Native code that an archive or a folder brings: never loaded unless this installation or a named key vouches for it.
