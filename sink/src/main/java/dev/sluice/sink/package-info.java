/**
 * The sink's pipeline, from journal records to applied windows, and the thread that applies them.
 * Imports all stages below it.
 */
package dev.sluice.sink;
