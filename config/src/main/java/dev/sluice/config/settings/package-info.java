/**
 * The task settings: their names, types, ranges and defaults, and one record for each section.
 * Imports {@code config.document}.
 */
package dev.sluice.config.settings;
