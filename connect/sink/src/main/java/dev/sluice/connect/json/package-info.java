/** Reads the fields of records from the bytes of their JSON. Imports {@code connect.fields}. */
package dev.sluice.connect.json;
