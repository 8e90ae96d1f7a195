package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.task.MigrationType;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;
import java.util.Optional;

/**
 * The views and materialized views that the mappings select. Immutable.
 *
 * @param type of the task
 * @param loads whether the load is still to come; after it views are ignored
 */
record SelectedViews(List<CatalogTable> views, MigrationType type, boolean loads) {
  SelectedViews {
    views = List.copyOf(views);
  }

  List<CatalogTable> toLoad() {
    return loads ? views : List.of();
  }

  List<TableId> names() {
    return views.stream().map(CatalogTable::table).toList();
  }

  /** How the task uses the views; empty if there are none. */
  Optional<String> note() {
    if (views.isEmpty()) {
      return Optional.empty();
    }
    if (type.loads() && !loads) {
      return Optional.of(
          "views, ignored, since the load is complete and views are not replicated: " + names());
    }
    return Optional.of(
        switch (type) {
          case FULL_LOAD -> "views, loaded into tables: " + names();
          case CDC -> "views, ignored, since migration-type cdc loads nothing: " + names();
          case FULL_LOAD_AND_CDC ->
              "views, loaded once into tables but not replicated, so that their rows stay as they"
                  + " were at the load: "
                  + names();
        });
  }
}
