package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.task.MigrationType;
import dev.sluice.connector.postgres.catalog.CatalogTable;
import java.util.List;
import java.util.Optional;

/**
 * The views and materialized views that the mappings select, as a check sees them. Immutable.
 *
 * @param type of the task
 * @param loads whether they are still to be loaded: afterwards nothing is done with them any more
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

  /** What becomes of them; empty where there are none. */
  Optional<String> note() {
    if (views.isEmpty()) {
      return Optional.empty();
    }
    if (type.loads() && !loads) {
      return Optional.of("views, not followed, nor loaded after the tables were: " + names());
    }
    return Optional.of(
        switch (type) {
          case FULL_LOAD -> "views, loaded into tables: " + names();
          case CDC -> "views, ignored, since migration-type cdc loads nothing: " + names();
          case FULL_LOAD_AND_CDC ->
              "views, loaded once into tables and not followed, so that their rows stay as they"
                  + " were at the load: "
                  + names();
        });
  }
}
