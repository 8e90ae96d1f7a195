/**
 * The task settings: each is one typed constant with its name, range, default and meaning, in a
 * class for its section, and {@code TaskSettings} has their values. Imports {@code
 * config.document}.
 */
package dev.sluice.config.settings;
