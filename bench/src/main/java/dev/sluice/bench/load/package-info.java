/** The contenders of the load and of the import. */
package dev.sluice.bench.load;
