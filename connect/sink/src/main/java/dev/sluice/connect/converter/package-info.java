/** The binary converter, and the fields of what it wrote. Imports {@code connect.fields}. */
package dev.sluice.connect.converter;
