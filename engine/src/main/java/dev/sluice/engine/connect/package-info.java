/**
 * Makes the configuration of a connector pair from a task file. Imports {@code config} and the
 * source's catalog.
 */
package dev.sluice.engine.connect;
