package dev.sluice.engine.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.inventory.SchemaObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObjectComparisonTest {
  private static final TableId ITEM = new TableId("shop", "item");

  @Test
  void objectsAreLookedForUnderTheNamesOfTheTarget() {
    Set<SchemaObject> there =
        Set.of(
            object(ObjectKind.VIEW, "store", "items", ""),
            object(ObjectKind.FUNCTION, "store", null, "twice(integer)"),
            object(ObjectKind.POLICY, "store", "t_item", "own"),
            object(ObjectKind.EXTENSION, "", null, "citext"));

    assertThat(
            missing(
                there,
                false,
                object(ObjectKind.VIEW, "shop", "items", ""),
                object(ObjectKind.VIEW, "shop", "others", ""),
                object(ObjectKind.FUNCTION, "shop", null, "twice(integer)"),
                object(ObjectKind.FUNCTION, "shop", null, "twice(text)"),
                object(ObjectKind.POLICY, "shop", "item", "own"),
                object(ObjectKind.EXTENSION, "", null, "citext")))
        .isEqualTo(
            Map.of(
                ObjectKind.VIEW,
                List.of("shop.others"),
                ObjectKind.FUNCTION,
                List.of("shop: twice(text)")));
  }

  @Test
  void anIndexOfAnotherNameCountsIfItHasTheSameColumns() {
    Set<SchemaObject> there = Set.of(shaped("store", "t_item", "other", "btree price"));

    assertThat(
            missing(
                there,
                false,
                shaped("shop", "item", "first", "btree price"),
                shaped("shop", "item", "second", "btree unique price")))
        .isEqualTo(Map.of(ObjectKind.INDEX, List.of("shop.item: second")));
  }

  @Test
  void constraintsAndTriggersThatTheCutoverMakesAreNotMissing() {
    SchemaObject trigger = object(ObjectKind.TRIGGER, "shop", "item", "audit");
    SchemaObject check = object(ObjectKind.CONSTRAINT, "shop", "item", "positive");

    assertThat(missing(Set.of(), true, trigger, check)).isEmpty();
    assertThat(missing(Set.of(), false, trigger, check))
        .containsOnlyKeys(ObjectKind.TRIGGER, ObjectKind.CONSTRAINT);
  }

  @Test
  void whatBelongsToAMissingThingIsMissingWithIt() {
    assertThat(
            missing(
                Set.of(object(ObjectKind.FUNCTION, "store", null, "known()")),
                false,
                object(ObjectKind.TRIGGER, "shop", "not_selected", "audit"),
                object(ObjectKind.GRANT, "shop", "not_selected", "SELECT to seller"),
                object(ObjectKind.GRANT, "shop", null, "EXECUTE on lost() to seller"),
                object(ObjectKind.GRANT, "shop", null, "EXECUTE on known() to seller"),
                object(ObjectKind.GRANT, "shop", null, "USAGE on the schema to seller")))
        .isEqualTo(
            Map.of(
                ObjectKind.GRANT,
                List.of(
                    "shop: EXECUTE on known() to seller", "shop: USAGE on the schema to seller")));
  }

  private static Map<ObjectKind, List<String>> missing(
      Set<SchemaObject> target, boolean completed, SchemaObject... source) {
    return new ObjectComparison(
            id -> new TableId("store", id.equals(ITEM) ? "t_item" : id.name()),
            List.of(ITEM),
            target,
            completed)
        .missing(List.of(source));
  }

  private static SchemaObject object(ObjectKind kind, String schema, String relation, String name) {
    return new SchemaObject(kind, schema, Optional.ofNullable(relation), name, Optional.empty());
  }

  private static SchemaObject shaped(String schema, String relation, String name, String shape) {
    return new SchemaObject(
        ObjectKind.INDEX, schema, Optional.of(relation), name, Optional.of(shape));
  }
}
