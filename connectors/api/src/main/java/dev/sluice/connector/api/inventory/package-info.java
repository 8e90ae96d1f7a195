/**
 * What a database has apart from rows: views, functions, rights and the like, so that two sides can
 * be compared by name. Imports {@code config}.
 */
package dev.sluice.connector.api.inventory;
