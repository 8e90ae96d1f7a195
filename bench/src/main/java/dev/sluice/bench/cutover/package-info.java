/**
 * Parts of the cutover's benchmark: applications that move, a pooler, and a script as others do it.
 * Imports {@code peer} and {@code server}.
 */
package dev.sluice.bench.cutover;
