/**
 * Applies each closed window in one target transaction, together with its checkpoint. Imports the
 * packages below it.
 */
package dev.sluice.sink.apply;
