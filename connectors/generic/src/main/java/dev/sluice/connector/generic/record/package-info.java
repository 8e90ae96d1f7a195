/**
 * Makes whole transactions of a connector's records, each with the bookmark from which it goes on.
 * Imports the configuration.
 */
package dev.sluice.connector.generic.record;
