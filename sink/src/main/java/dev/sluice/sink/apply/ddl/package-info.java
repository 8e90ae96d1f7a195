/** Alters target tables as the source's tables were altered. Imports {@code sink.target}. */
package dev.sluice.sink.apply.ddl;
