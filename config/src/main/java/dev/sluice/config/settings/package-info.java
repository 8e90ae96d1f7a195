/**
 * The settings: their names, types, ranges and defaults, and one record for each group. Imports
 * {@code config.document}.
 */
package dev.sluice.config.settings;
