/**
 * The pipeline: from journal records to applied windows, with the thread that applies. Imports all
 * stages below it.
 */
package dev.sluice.sink;
