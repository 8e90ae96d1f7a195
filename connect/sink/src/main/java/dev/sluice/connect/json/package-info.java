/** Reads the fields of records from the bytes of their JSON. Imports {@code fields}. */
package dev.sluice.connect.json;
