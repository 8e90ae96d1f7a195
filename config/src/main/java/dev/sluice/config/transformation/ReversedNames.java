package dev.sluice.config.transformation;

import dev.sluice.config.transformation.NameChange.Action;
import dev.sluice.config.transformation.TransformationRule.Action.RenameSchema;
import dev.sluice.config.transformation.TransformationRule.Action.RenameTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * A name is turned back if exactly one name becomes it. For a plain name that is seen at once. Of patterns only those
 * are turned back of which it is certain without the tables' names: all of them get the same prefix or suffix.
 */
/**
 * Turns renamed schemas and tables back, as rules of a task in the other direction. What cannot be
 * turned back is collected as a reason. Used by one thread.
 */
public final class ReversedNames {
  private static final NamePattern ANY = new NamePattern("%");

  private final Transformations names;
  private final List<TransformationRule> schemas;
  private final List<TransformationRule> tables;
  private final List<String> reasons = new ArrayList<>();

  /** For single tables that were selected by their names, and renamed by a rule for many. */
  private final List<TransformationRule> ofSelected = new ArrayList<>();

  public ReversedNames(Transformations names) {
    this.names = names;
    this.schemas =
        names.rules().stream().filter(rule -> rule.doesOneOf(RenameSchema.class)).toList();
    this.tables = names.rules().stream().filter(rule -> rule.doesOneOf(RenameTable.class)).toList();
    for (TransformationRule rule : names.rules()) {
      if (!schemas.contains(rule) && !tables.contains(rule)) {
        refuse(rule, "changes columns: only schemas and tables are renamed back");
      }
    }
  }

  /** A rule with a plain name that acts on its table, whatever comes after it. */
  private record Single(TransformationRule rule, String name, String image) {}

  /**
   * The target's names of schemas.
   *
   * @param schema of a selection rule
   */
  public NamePattern schema(NamePattern schema) {
    if (schema.isPlain()) {
      return NamePattern.literal(names.schemaOf(schema.plainName()));
    }
    if (!schemas.isEmpty()) {
      refuse(schemas.get(0), "renames schemas, and a selection rule has the pattern " + schema);
    }
    return schema;
  }

  /**
   * The target's names of tables; some may be listed twice.
   *
   * @param schema of a selection rule
   * @param table of the same
   */
  public List<NamePattern> tables(NamePattern schema, NamePattern table) {
    List<NamePattern> images = new ArrayList<>();
    for (TransformationRule rule : concerned(schema)) {
      if (table.isPlain()) {
        if (rule.table().matches(table.plainName())) {
          NamePattern image = NamePattern.literal(changed(rule, table.plainName()));
          if (!rule.table().isPlain() && inverse(change(rule)).isEmpty()) {
            ofSelected.add(
                reversed(rule, schema(schema), image, new RenameTable(rename(table.plainName()))));
          }
          return List.of(image);
        }
      } else if (rule.table().isPlain()) {
        if (table.matches(rule.table().plainName())) {
          images.add(NamePattern.literal(changed(rule, rule.table().plainName())));
        }
      } else if (covers(rule.table(), table)) {
        images.add(image(rule, table));
        return images;
      } else {
        refuse(rule, "may rename some tables of the selected %s, and not others".formatted(table));
      }
    }
    images.add(table);
    return images;
  }

  /** The rules that act on tables of these schemas, in their order. */
  private List<TransformationRule> concerned(NamePattern schema) {
    List<TransformationRule> all = new ArrayList<>();
    for (TransformationRule rule : tables) {
      if (schema.isPlain()
          ? rule.schema().matches(schema.plainName())
          : covers(rule.schema(), schema)) {
        all.add(rule);
      } else if (!schema.isPlain()) {
        refuse(
            rule,
            "may act on some of the selected schemas %s, and not on others".formatted(schema));
      }
    }
    return all;
  }

  /**
   * The rules that turn the names back. Asked for last.
   *
   * @param ofSchemas the target's names of selected schemas, by their names on the source
   */
  public Transformations rules(Map<String, String> ofSchemas) {
    List<TransformationRule> back = new ArrayList<>();
    ofSchemas.forEach(
        (schema, image) ->
            schemas.stream()
                .filter(rule -> !schema.equals(image) && rule.schema().matches(schema))
                .findFirst()
                .map(
                    rule ->
                        reversed(
                            rule,
                            NamePattern.literal(image),
                            ANY,
                            new RenameSchema(rename(schema))))
                .ifPresent(back::add));
    back.addAll(ofSelected);
    for (Single single : singles()) {
      back.add(
          reversed(
              single.rule(),
              schemaOf(single.rule()),
              NamePattern.literal(single.image()),
              new RenameTable(rename(single.name()))));
    }
    for (TransformationRule rule : tables) {
      if (!rule.table().isPlain()) {
        inverse(change(rule))
            .map(
                change ->
                    reversed(
                        rule, schemaOf(rule), image(rule, rule.table()), new RenameTable(change)))
            .ifPresent(back::add);
      }
    }
    return new Transformations(back);
  }

  /**
   * Names of the target that no table of the source becomes, and that would be turned back to a
   * name that has another one there: a task in the other direction must not select them.
   *
   * @return schema and table of each
   */
  public List<Map.Entry<NamePattern, NamePattern>> shadowed() {
    List<Single> singles = singles();
    List<Map.Entry<NamePattern, NamePattern>> all = new ArrayList<>();
    for (Single single : singles) {
      String other =
          tables.stream()
              .filter(rule -> !rule.table().isPlain())
              .filter(rule -> mayMeet(rule, single.rule()) && rule.table().matches(single.name()))
              .findFirst()
              .map(rule -> changed(rule, single.name()))
              .orElse(single.name());
      boolean used =
          singles.stream()
              .anyMatch(each -> each.image().equals(other) && mayMeet(each.rule(), single.rule()));
      if (!used) {
        all.add(Map.entry(schemaOf(single.rule()), NamePattern.literal(other)));
      }
    }
    return all;
  }

  /** The names of tables that have a rule of their own. */
  public List<String> singleNames() {
    return tables.stream()
        .map(TransformationRule::table)
        .filter(NamePattern::isPlain)
        .map(NamePattern::plainName)
        .toList();
  }

  /** Why something cannot be turned back; known once everything was asked. */
  public List<String> reasons() {
    return reasons.stream().distinct().toList();
  }

  private List<Single> singles() {
    List<Single> singles = new ArrayList<>();
    List<TransformationRule> before = new ArrayList<>();
    for (TransformationRule rule : tables) {
      if (rule.table().isPlain()) {
        String name = rule.table().plainName();
        boolean acts =
            before.stream()
                .noneMatch(
                    each -> covers(each.schema(), rule.schema()) && each.table().matches(name));
        Single single = new Single(rule, name, changed(rule, name));
        if (acts
            && singles.stream()
                .anyMatch(
                    each -> each.image().equals(single.image()) && mayMeet(each.rule(), rule))) {
          refuse(rule, "gives a name that another rule gives, too");
        }
        if (acts) {
          singles.add(single);
        }
      }
      before.add(rule);
    }
    return singles;
  }

  private static boolean mayMeet(TransformationRule one, TransformationRule other) {
    NamePattern first = one.schema();
    NamePattern second = other.schema();
    if (first.isPlain() && second.isPlain()) {
      return first.plainName().equals(second.plainName());
    }
    return first.isPlain()
        ? second.matches(first.plainName())
        : !second.isPlain() || first.matches(second.plainName());
  }

  private NamePattern schemaOf(TransformationRule rule) {
    return isAny(rule.schema()) ? ANY : schema(rule.schema());
  }

  private NamePattern image(TransformationRule rule, NamePattern table) {
    NameChange change = change(rule);
    return switch (change.action()) {
      case ADD_PREFIX -> table.withPrefix(change.value());
      case ADD_SUFFIX -> table.withSuffix(change.value());
      default -> {
        refuse(
            rule,
            "%s of the tables %s cannot be turned back without their names"
                .formatted(change.action().text(), rule.table()));
        yield table;
      }
    };
  }

  private static Optional<NameChange> inverse(NameChange change) {
    return switch (change.action()) {
      case ADD_PREFIX -> Optional.of(new NameChange(Action.REMOVE_PREFIX, change.value(), ""));
      case ADD_SUFFIX -> Optional.of(new NameChange(Action.REMOVE_SUFFIX, change.value(), ""));
      default -> Optional.empty();
    };
  }

  private static NameChange change(TransformationRule rule) {
    return ((RenameTable) rule.action()).change();
  }

  private static String changed(TransformationRule rule, String name) {
    String changed = change(rule).of(name);
    return changed.isEmpty() ? name : changed;
  }

  private static NameChange rename(String name) {
    return new NameChange(Action.RENAME, name, "");
  }

  private static TransformationRule reversed(
      TransformationRule rule,
      NamePattern schema,
      NamePattern table,
      TransformationRule.Action action) {
    return new TransformationRule(rule.id(), rule.place(), schema, table, ANY, action);
  }

  /** Whether the first pattern surely matches whatever the second one matches. */
  private static boolean covers(NamePattern pattern, NamePattern other) {
    return isAny(pattern)
        || pattern.toString().equals(other.toString())
        || other.isPlain() && pattern.matches(other.plainName());
  }

  private static boolean isAny(NamePattern pattern) {
    return pattern.toString().equals(ANY.toString());
  }

  private void refuse(TransformationRule rule, String why) {
    reasons.add("rule " + rule.id() + " " + why);
  }
}
