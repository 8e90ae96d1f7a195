/**
 * Reads what AWS DMS says of a task and of its endpoints, and makes the text of a task file of it.
 * What has no counterpart is named. Imports {@code config.document}, {@code config.settings},
 * {@code config.mappings} and {@code config.task}.
 */
package dev.sluice.config.dms;
