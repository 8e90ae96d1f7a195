/**
 * Sessions by the JDBC driver beside the connector, and the definitions that they read. Imports
 * configuration and folder.
 */
package dev.sluice.connector.generic.catalog;
