/**
 * What the task file says of a connector: its properties, the database it reads, and what is
 * refused. Imports nothing of this module.
 */
package dev.sluice.connector.generic.config;
