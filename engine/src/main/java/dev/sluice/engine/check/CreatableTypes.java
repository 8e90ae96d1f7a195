package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.catalog.TypeServer;
import dev.sluice.connector.api.source.catalog.TypeTree;
import dev.sluice.connector.api.source.catalog.TypeTree.Base;
import dev.sluice.connector.api.source.catalog.TypeTree.Composite;
import dev.sluice.connector.api.source.catalog.TypeTree.Domain;
import dev.sluice.connector.api.source.catalog.TypeTree.Enumeration;
import dev.sluice.connector.api.source.catalog.TypeTree.Range;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Checks whether a task can create the types of its columns on the target. Used by one thread. */
final class CreatableTypes {
  private final TypeServer source;
  private final TypeServer target;
  private final TypeCatalog targetTypes;
  private final Set<Problem> problems;
  private final Set<TypeTree> comparedByName = new HashSet<>();

  /**
   * @param problems receives what is found
   */
  CreatableTypes(
      TypeServer source, TypeServer target, TypeCatalog targetTypes, Set<Problem> problems) {
    this.source = source;
    this.target = target;
    this.targetTypes = targetTypes;
    this.problems = problems;
  }

  /** Checks one type of a column. */
  void check(ComparedColumn place, TypeTree type) {
    if (type instanceof Base base) {
      if (base.extension().isPresent()) {
        extension(place, base.extension().get());
      } else if (targetTypes.named(base.name()).isEmpty()) {
        problems.add(
            new Problem(
                place.thing(),
                "is of the base type %s, which the target does not have; a base type (CREATE TYPE with INPUT and OUTPUT, or LIKE) is code, which the task does not copy"
                    .formatted(type.printed()),
                "the same type on the target, created by hand",
                "Create the type with its functions on the target, as a superuser, or exclude the"
                    + " table by a selection rule"));
      }
    } else if (type instanceof Domain domain) {
      if (domain.extension().isPresent()) {
        extension(place, domain.extension().get());
        return;
      }
      if (domain.constraints().stream().anyMatch(check -> check.endsWith(" NOT VALID"))) {
        problems.add(
            new Problem(
                place.thing(),
                "domain %s has a constraint that is not validated: %s"
                    .formatted(domain.printed(), domain.constraints()),
                "a validated constraint, since the target checks it for every value",
                "Run on the source: ALTER DOMAIN %s VALIDATE CONSTRAINT …; or drop it"
                    .formatted(domain.printed())));
      }
      sameByName(place, domain, domain.name());
    } else if (type instanceof Enumeration labels) {
      sameByName(place, labels, labels.name());
    } else if (type instanceof Composite composite) {
      if (composite.rowOfTable()) {
        problems.add(
            new Problem(
                place.thing(),
                "is of type %s, the row type of a table, which is created and altered only with that table"
                    .formatted(type.printed()),
                "tables that were created on the target by hand",
                "Create the table %s and then this one on the target, and use TargetTablePrepMode DO_NOTHING; or exclude this table by a selection rule"
                    .formatted(type.printed())));
      } else {
        sameByName(place, composite, composite.name());
      }
    } else if (type instanceof Range range) {
      sameByName(place, range, range.name());
      if (range.canonical() && !range.builtIn() && targetTypes.named(range.name()).isEmpty()) {
        problems.add(
            place.problem(
                "is of type "
                    + type.printed()
                    + ", a range with a canonical function, which is code",
                "a type that can be created from its definition"));
      }
    }
  }

  /** A type that the target already has is used unchanged. */
  private void sameByName(ComparedColumn place, TypeTree type, TableId name) {
    if (!comparedByName.add(type)) {
      return;
    }
    Optional<TypeTree> found = targetTypes.named(name);
    if (found.isPresent()) {
      TypeFit.objection(type, found.get())
          .ifPresent(
              objection ->
                  problems.add(
                      new Problem(
                          "type " + type.printed() + " of the target, for " + place.thing(),
                          "it differs from the source's: " + objection,
                          "the same type, or none, so that the task creates it",
                          "Change it to match the source, or drop it on the target")));
    }
  }

  private void extension(ComparedColumn place, String name) {
    String needed = source.extensions().get(name);
    String there = target.extensions().get(name);
    if (there == null && !target.creatable().getOrDefault(name, false)) {
      problems.add(
          new Problem(
              place.thing(),
              target.creatable().containsKey(name)
                  ? "its type is of extension " + name + ", which this user may not install"
                  : "its type is of extension " + name + ", which the target's server lacks",
              "extension " + name + " on the target",
              "Install it on the target's server, and as a superuser run: CREATE EXTENSION %s SCHEMA %s;"
                  .formatted(TableId.quote(name), TableId.quote(needed))));
    } else if (there != null && !there.equals(needed)) {
      problems.add(
          new Problem(
              place.thing(),
              "its type is of extension %s, which is in schema %s on the target, and in %s on the source"
                  .formatted(name, there, needed),
              "the same schema, since the task creates the column with it",
              "Run on the target: ALTER EXTENSION %s SET SCHEMA %s; or create the tables by hand"
                  .formatted(TableId.quote(name), TableId.quote(needed))));
    }
  }
}
