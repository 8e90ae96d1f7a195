/**
 * Row filters, which the server evaluates for the load and this process for the log: only
 * comparisons of which both have the same result. Imports {@code catalog}, {@code server} and
 * {@code type}.
 */
package dev.sluice.connector.mariadb.filter;
