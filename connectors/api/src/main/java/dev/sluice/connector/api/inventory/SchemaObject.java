package dev.sluice.connector.api.inventory;

import dev.sluice.config.TableId;
import java.util.Optional;

/**
 * Something of a database that is neither a table nor a row, as far as it must be known to find it
 * on another database. Immutable.
 *
 * @param schema its schema; empty if it belongs to the database
 * @param relation the table, view or sequence that it belongs to, or that it is; empty for others
 * @param name distinguishes it from others of its kind on the same relation or in the same schema:
 *     a name, the arguments of a function, a right with its holder
 * @param shape another way to recognise it if its name differs, such as an index's columns; empty
 *     if only its name counts
 */
public record SchemaObject(
    ObjectKind kind,
    String schema,
    Optional<String> relation,
    String name,
    Optional<String> shape) {

  /** The relation's name. */
  public Optional<TableId> of() {
    return relation.map(own -> new TableId(schema, own));
  }
}
