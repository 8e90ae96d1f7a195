package dev.sluice.connector.api.source.catalog;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The type of a column with all types that it contains. Immutable. */
public sealed interface TypeTree {

  /** As {@code format_type} prints it, with modifiers. */
  String printed();

  /** The types that it contains directly; empty for most. */
  List<TypeTree> parts();

  /** The type itself and all types that it contains. */
  default Stream<TypeTree> all() {
    return Stream.concat(Stream.of(this), parts().stream().flatMap(TypeTree::all));
  }

  /** The type under all domains. */
  default TypeTree bare() {
    return this;
  }

  /** The constraints of domains, each as its definition prints it. */
  default Set<String> demands() {
    return Set.of();
  }

  /**
   * A base type, which is code.
   *
   * @param extension the extension that it belongs to; empty for a built-in type and one created by
   *     hand
   * @param modifier as in the catalog; -1 for none
   */
  record Base(
      TableId name, Optional<String> extension, boolean builtIn, int modifier, String printed)
      implements TypeTree {
    @Override
    public List<TypeTree> parts() {
      return List.of();
    }

    /** Whether it is this type of the server's own. */
    public boolean is(String type) {
      return builtIn && name.name().equals(type);
    }
  }

  /**
   * @param labels in their order
   */
  record Enumeration(TableId name, List<String> labels, String printed) implements TypeTree {
    @Override
    public List<TypeTree> parts() {
      return List.of();
    }
  }

  /**
   * @param constraints its own, {@code NOT NULL} among them
   * @param extension the extension that it belongs to
   */
  record Domain(
      TableId name,
      Optional<String> extension,
      boolean builtIn,
      TypeTree under,
      List<String> constraints,
      String printed)
      implements TypeTree {
    @Override
    public List<TypeTree> parts() {
      return List.of(under);
    }

    @Override
    public TypeTree bare() {
      return under.bare();
    }

    @Override
    public Set<String> demands() {
      Set<String> demands = new LinkedHashSet<>(constraints);
      demands.addAll(under.demands());
      return demands;
    }
  }

  /** Of any number of dimensions. */
  record ArrayOf(TypeTree element, String printed) implements TypeTree {
    @Override
    public List<TypeTree> parts() {
      return List.of(element);
    }
  }

  /**
   * @param rowOfTable whether it is the row type of a table or view
   */
  record Composite(TableId name, List<Attribute> attributes, boolean rowOfTable, String printed)
      implements TypeTree {
    @Override
    public List<TypeTree> parts() {
      return new ArrayList<>(attributes.stream().map(Attribute::type).toList());
    }
  }

  /** A field of a composite type. */
  record Attribute(String name, TypeTree type) {}

  /**
   * A range or multirange.
   *
   * @param order operator class and collation of its bounds
   * @param canonical whether it has a canonical function
   */
  record Range(
      TableId name,
      boolean builtIn,
      boolean multi,
      TypeTree bound,
      String order,
      boolean canonical,
      String printed)
      implements TypeTree {
    @Override
    public List<TypeTree> parts() {
      return List.of(bound);
    }
  }
}
