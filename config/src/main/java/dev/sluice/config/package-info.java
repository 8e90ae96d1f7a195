/**
 * Words that every module shares: the name of a table, a count with its noun, a clock that never
 * goes back, a folder that only its owner reads. Imports nothing of Sluice.
 */
package dev.sluice.config;
