/**
 * Applies a closed window in one target transaction, with its checkpoint. Imports the packages
 * below it.
 */
package dev.sluice.sink.apply;
