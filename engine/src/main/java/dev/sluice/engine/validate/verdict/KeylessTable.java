package dev.sluice.engine.validate.verdict;

import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.Optional;

/** A table without a key, which can only be read whole, under one snapshot. Stateless. */
public final class KeylessTable {
  private static final long PAGE = 8192;

  private KeylessTable() {}

  /** Why the table is not compared at all; empty if it is. */
  public static Optional<String> exemption(CatalogTable table, TaskSettings settings) {
    DataSize limit = settings.get(SluiceSettings.VALIDATION_UNKEYED_TABLE_LIMIT);
    DataSize size = DataSize.ofBytes(table.pages() * PAGE);
    return table.hasKey() || size.bytes() <= limit.bytes()
        ? Optional.empty()
        : Optional.of(
            "it has no key and %s: ValidationUnkeyedTableLimit is %s".formatted(size, limit));
  }
}
