/**
 * Pre-flight checks of the source. They change nothing. Imports the sessions and what they read.
 */
package dev.sluice.connector.generic.check;
