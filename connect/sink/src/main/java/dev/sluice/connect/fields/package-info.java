/** The fields of a record's objects, whatever form the record came in. Imports nothing of ours. */
package dev.sluice.connect.fields;
