/**
 * The PostgreSQL source as a whole: its capture, and the entry for the engine. Imports all packages
 * below it.
 */
package dev.sluice.connector.postgres;
