/**
 * Loads a connector from its folder and runs its task without a Connect worker. Imports bookmarks.
 */
package dev.sluice.connector.generic.process;
