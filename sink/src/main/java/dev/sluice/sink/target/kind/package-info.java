/** Chooses the dialect of a target. Imports {@code sink.target} and the package of each dialect. */
package dev.sluice.sink.target.kind;
