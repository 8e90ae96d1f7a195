/** Changes the target's tables as the source's were changed. Imports {@code sink.target}. */
package dev.sluice.sink.apply.ddl;
