/**
 * Joins the events of a source's transaction from the topics of its tables. Imports {@code
 * connect.envelope}.
 */
package dev.sluice.connect.join;
