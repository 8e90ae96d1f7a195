/**
 * The connector's properties, and the checks of them. Imports {@code config} and the sink's
 * settings.
 */
package dev.sluice.connect.settings;
