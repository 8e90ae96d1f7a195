/** The binary converter. Imports {@code connector.api}. */
package dev.sluice.connect.converter;
