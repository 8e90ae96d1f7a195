/**
 * The phases of the full load and of the tables' completion. Imports {@code engine.load}, {@code
 * engine.capture} and {@code engine.check}.
 */
package dev.sluice.engine.fullload;
