/**
 * Basic types of all modules: the name of a table, a count with its noun, a clock that never goes
 * back, a directory that only its owner reads. Imports nothing of Sluice.
 */
package dev.sluice.config;
