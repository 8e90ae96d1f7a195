/**
 * What the database of a known connector tells about itself: identity, history, definitions, its
 * slot. Imports the sessions.
 */
package dev.sluice.connector.generic.database;
