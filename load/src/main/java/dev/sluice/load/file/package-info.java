/** Reads files of an import: records, batches, bad rows. Imports {@code config}. */
package dev.sluice.load.file;
