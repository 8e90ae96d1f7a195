package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.UniqueConflict.Step.delete;
import static dev.sluice.sink.apply.UniqueConflict.Step.insert;
import static dev.sluice.sink.apply.UniqueConflict.Step.key;
import static dev.sluice.sink.apply.UniqueConflict.Step.together;
import static dev.sluice.sink.apply.UniqueConflict.Step.update;

import dev.sluice.sink.apply.ConflictTable.Shape;
import java.util.List;
import java.util.function.Consumer;

/**
 * The kinds of transactions in which rows get unique values or keys that other rows had. Each step
 * is a transaction that the source takes; net changes of several could meet on the target.
 */
public enum UniqueConflict {
  TWO_ROWS_EXCHANGE_A_VALUE_BY_WAY_OF_NULL(
      Tables.U, Rows.THREE, update("1", "u=null"), update("2", "u=10"), update("1", "u=20")),
  TWO_ROWS_EXCHANGE_A_VALUE_BY_WAY_OF_A_FREE_ONE(
      Tables.U, Rows.THREE, update("1", "u=99"), update("2", "u=10"), update("1", "u=20")),
  THREE_ROWS_ROTATE_THEIR_VALUES(
      Tables.U,
      Rows.THREE,
      update("1", "u=null"),
      update("2", "u=10"),
      update("3", "u=20"),
      update("1", "u=30")),
  ALL_VALUES_SHIFT_UP(
      Tables.U, Rows.THREE, update("3", "u=40"), update("2", "u=30"), update("1", "u=20")),
  ALL_VALUES_SHIFT_DOWN(
      Tables.U, Rows.THREE, update("1", "u=0"), update("2", "u=10"), update("3", "u=20")),
  A_VALUE_GOES_FROM_ROW_TO_ROW_THROUGH_ALL(
      Tables.U,
      Rows.THREE,
      update("1", "u=11"),
      update("2", "u=10"),
      update("2", "u=22"),
      update("3", "u=10")),
  A_DELETED_ROWS_VALUE_GOES_TO_AN_INSERTED_ONE(
      Tables.U, Rows.THREE, delete("1"), insert("k=4", "u=10")),
  A_DELETED_ROWS_VALUE_GOES_TO_AN_UPDATED_ONE(
      Tables.U, Rows.THREE, delete("1"), update("2", "u=10")),
  AN_UPDATED_ROWS_VALUE_GOES_TO_AN_INSERTED_ONE(
      Tables.U, Rows.THREE, update("1", "u=40"), insert("k=4", "u=10")),
  A_DELETED_ROWS_VALUE_GOES_ON_THROUGH_AN_UPDATED_ONE_TO_AN_INSERTED_ONE(
      Tables.U,
      Rows.THREE,
      delete("1"),
      update("2", "u=10"),
      insert("k=4", "u=20"),
      update("2", "u=77"),
      insert("k=5", "u=10")),
  A_VALUE_IS_HELD_BY_A_ROW_THAT_COMES_AND_GOES(
      Tables.U,
      Rows.THREE,
      update("1", "u=40"),
      insert("k=4", "u=10"),
      delete("4"),
      update("2", "u=10")),
  AN_INSERTED_ROW_GIVES_ITS_VALUE_TO_ANOTHER_INSERTED_ONE(
      Tables.U, Rows.THREE, insert("k=4", "u=40"), update("4", "u=41"), insert("k=5", "u=40")),
  A_DELETED_ROW_COMES_BACK_WITH_THE_VALUE_OF_THE_ROW_THAT_TOOK_ITS_OWN(
      Tables.U, Rows.THREE, delete("1"), update("2", "u=10"), insert("k=1", "u=20")),
  A_DELETED_ROW_COMES_BACK_AS_IT_WAS(Tables.U, Rows.THREE, delete("1"), insert("k=1", "u=10")),
  A_VALUE_IS_LENT_AND_COMES_BACK(
      Tables.U,
      Rows.THREE,
      update("1", "u=null"),
      update("2", "u=10"),
      update("2", "u=20"),
      update("1", "u=10")),
  A_NULL_GETS_THE_VALUE_OF_A_ROW_THAT_BECOMES_NULL(
      Tables.U,
      Rows.THREE,
      update("1", "u=null"),
      update("2", "u=null"),
      insert("k=4"),
      update("4", "u=20"),
      update("2", "u=10")),
  A_VALUE_CHANGES_ROWS_WHILE_LARGE_ONES_CHANGE_TOO(
      Tables.U,
      Rows.THREE,
      update("1", "u=null", "x=other"),
      update("2", "u=10"),
      update("3", "x=third"),
      update("1", "u=20")),
  ROWS_THAT_A_TRUNCATE_TOOK_COME_BACK_WITH_OTHER_VALUES(
      Tables.U,
      Rows.THREE,
      ConflictTable::truncate,
      insert("k=2", "u=10"),
      insert("k=1", "u=20"),
      update("2", "u=30"),
      insert("k=3", "u=10")),
  /** As a source with a constraint that is checked at the commit takes it. */
  ROWS_EXCHANGE_VALUES_DIRECTLY_WITHIN_ONE_TRANSACTION(
      Tables.U,
      Rows.THREE,
      together(update("1", "u=20"), update("2", "u=30"), update("3", "u=10"))),

  A_KEY_CHANGES_AND_THE_VALUE_STAYS(Tables.U, Rows.THREE, key("1", "k=7")),
  A_KEY_CHANGES_AND_A_NEW_ROW_GETS_THE_OLD_KEY_AND_VALUE(
      Tables.U, Rows.THREE, key("1", "k=7", "u=70"), insert("k=1", "u=10")),
  KEYS_SHIFT_UP_IN_A_CHAIN(Tables.U, Rows.THREE, key("3", "k=4"), key("2", "k=3"), key("1", "k=2")),
  TWO_ROWS_EXCHANGE_THEIR_KEYS(
      Tables.U, Rows.THREE, key("1", "k=9"), key("2", "k=1"), key("9", "k=2")),
  KEYS_AND_VALUES_ROTATE_AGAINST_EACH_OTHER(
      Tables.U,
      Rows.THREE,
      key("1", "k=9", "u=null"),
      key("2", "k=1", "u=10"),
      key("3", "k=2", "u=20"),
      key("9", "k=3", "u=30")),
  A_ROW_GETS_THE_KEY_OF_A_DELETED_ONE(Tables.U, Rows.THREE, delete("2"), key("1", "k=2")),
  A_ROW_GETS_THE_KEY_AND_THE_VALUE_OF_A_DELETED_ONE(
      Tables.U, Rows.THREE, delete("2"), key("1", "k=2", "u=20"), insert("k=1", "u=10")),
  A_KEY_CHANGES_BACK_WHILE_ANOTHER_ROW_HAD_IT(
      Tables.U, Rows.THREE, key("1", "k=9"), key("2", "k=1"), key("1", "k=2"), key("9", "k=1")),

  ONE_COLUMN_OF_A_COMPOSITE_VALUE_IS_EXCHANGED(
      Tables.VW, Rows.PAIRS, update("1", "v=null"), update("2", "w=a"), update("1", "v=1", "w=b")),
  THE_OTHER_COLUMN_OF_A_COMPOSITE_VALUE_IS_EXCHANGED(
      Tables.VW, Rows.PAIRS, update("1", "w=null"), update("3", "v=1"), update("1", "v=2", "w=a")),
  A_COMPOSITE_VALUE_WITH_NULL_IS_THERE_TWICE_AND_ONE_OF_THEM_IS_COMPLETED(
      Tables.VW,
      Rows.PAIRS,
      update("1", "w=null"),
      insert("k=4", "v=1"),
      insert("k=5", "v=1"),
      update("4", "w=a"),
      delete("2"),
      update("5", "w=b")),
  A_DELETED_ROWS_COMPOSITE_VALUE_GOES_TO_AN_INSERTED_ONE(
      Tables.VW, Rows.PAIRS, delete("2"), insert("k=4", "v=1", "w=b")),
  COMPOSITE_VALUES_WITH_THE_SAME_LETTERS_IN_OTHER_CASES_ROTATE(
      Tables.VW,
      Rows.PAIRS,
      insert("k=4", "v=1", "w=A"),
      update("1", "v=null"),
      update("4", "w=a"),
      update("2", "w=A"),
      update("1", "v=1", "w=b")),

  A_ROWS_TWO_VALUES_GO_TO_TWO_OTHER_ROWS(
      Tables.BOTH,
      Rows.BOTH,
      update("1", "u=91", "v=91"),
      update("2", "u=10"),
      update("3", "v=1", "w=a")),
  A_DELETED_ROWS_TWO_VALUES_GO_TO_AN_UPDATED_AND_AN_INSERTED_ONE(
      Tables.BOTH, Rows.BOTH, delete("1"), update("2", "u=10"), insert("k=4", "v=1", "w=a")),
  TWO_PAIRS_EXCHANGE_DIFFERENT_VALUES_AND_HAVE_A_ROW_IN_COMMON(
      Tables.BOTH,
      Rows.BOTH,
      update("1", "u=null"),
      update("2", "u=10", "v=null"),
      update("1", "u=20"),
      update("3", "v=2", "w=b"),
      update("2", "v=3", "w=c")),
  AN_INSERTED_ROW_GETS_VALUES_OF_TWO_OTHERS(
      Tables.BOTH,
      Rows.BOTH,
      update("1", "u=null"),
      update("2", "v=null"),
      insert("k=4", "u=10", "v=2", "w=b")),
  THE_KEY_GOES_ONE_WAY_AND_THE_VALUES_GO_THE_OTHER(
      Tables.BOTH,
      Rows.BOTH,
      key("1", "k=9", "u=null"),
      key("2", "k=1", "u=10", "v=null"),
      key("9", "k=2", "u=20", "v=2", "w=b"),
      update("1", "v=1", "w=a")),

  THE_SECOND_COLUMN_OF_A_KEY_IS_EXCHANGED(
      Tables.KL_U, Rows.LETTERS, key("1,a", "l=z"), key("1,b", "l=a"), key("1,z", "l=b")),
  ROWS_MOVE_TO_ANOTHER_FIRST_COLUMN_AND_TAKE_VALUES_THERE(
      Tables.KL_U,
      Rows.LETTERS,
      update("2,a", "u=null"),
      key("1,a", "k=2", "l=c", "u=30"),
      update("2,a", "u=10"),
      key("1,b", "l=a")),
  KEYS_OF_OTHER_CASES_AND_BLANKS_EXCHANGE_VALUES(
      Tables.KL_U,
      Rows.LETTERS,
      insert("k=1", "l=A", "u=40"),
      insert("k=1", "l=a ", "u=50"),
      update("1,a", "u=null"),
      update("1,A", "u=10"),
      key("1,a ", "l=a  ", "u=40"),
      update("1,a", "u=50")),
  A_UNIQUE_KEY_SHARES_A_COLUMN_WITH_THE_PRIMARY_ONE(
      Tables.KL_LU,
      Rows.SHARED,
      key("1,a", "l=z"),
      key("2,b", "l=a"),
      key("1,z", "l=b"),
      insert("k=4", "l=a", "u=7"),
      delete("3,b"),
      key("2,a", "l=b", "u=9")),

  TEXTS_OF_OTHER_CASES_BLANKS_AND_ACCENTS_ROTATE(
      Tables.W,
      Rows.WORDS,
      update("1", "w=null"),
      update("2", "w=a"),
      update("3", "w=A"),
      update("4", "w=a "),
      update("1", "w=ä")),
  NULL_AND_THE_EMPTY_TEXT_CHANGE_ROWS(
      Tables.W,
      Rows.WORDS,
      update("1", "w="),
      insert("k=5", "w=a"),
      update("1", "w=null"),
      update("2", "w="),
      delete("5"),
      update("3", "w=a"));

  /** A transaction of one change, or of several. */
  @FunctionalInterface
  interface Step extends Consumer<ConflictTable> {

    static Step insert(String... values) {
      return table -> table.insert(values);
    }

    static Step update(String key, String... values) {
      return table -> table.update(key, values);
    }

    /** An update that changes the key. */
    static Step key(String key, String... values) {
      return update(key, values);
    }

    static Step delete(String key) {
      return table -> table.delete(key);
    }

    static Step together(Step... steps) {
      return table -> List.of(steps).forEach(step -> step.accept(table));
    }
  }

  private static final class Tables {
    static final Shape U = new Shape(List.of("k"), List.of(List.of("u")));
    static final Shape VW = new Shape(List.of("k"), List.of(List.of("v", "w")));
    static final Shape BOTH = new Shape(List.of("k"), List.of(List.of("u"), List.of("v", "w")));
    static final Shape W = new Shape(List.of("k"), List.of(List.of("w")));
    static final Shape KL_U = new Shape(List.of("k", "l"), List.of(List.of("u")));
    static final Shape KL_LU = new Shape(List.of("k", "l"), List.of(List.of("l", "u")));
  }

  private static final class Rows {
    static final Step THREE =
        together(insert("k=1", "u=10"), insert("k=2", "u=20"), insert("k=3", "u=30"));
    static final Step PAIRS =
        together(
            insert("k=1", "v=1", "w=a"), insert("k=2", "v=1", "w=b"), insert("k=3", "v=2", "w=a"));
    static final Step BOTH =
        together(
            insert("k=1", "u=10", "v=1", "w=a"),
            insert("k=2", "u=20", "v=2", "w=b"),
            insert("k=3", "u=30", "v=3", "w=c"));
    static final Step LETTERS =
        together(
            insert("k=1", "l=a", "u=10"),
            insert("k=1", "l=b", "u=20"),
            insert("k=2", "l=a", "u=30"));
    static final Step SHARED =
        together(
            insert("k=1", "l=a", "u=7"), insert("k=2", "l=b", "u=8"), insert("k=3", "l=b", "u=9"));
    static final Step WORDS =
        together(
            insert("k=1", "w=a"),
            insert("k=2", "w=A"),
            insert("k=3", "w=a "),
            insert("k=4", "w=ä"));
  }

  private final Shape shape;
  private final Step start;
  private final List<Step> transactions;

  UniqueConflict(Shape shape, Step start, Step... transactions) {
    this.shape = shape;
    this.start = start;
    this.transactions = List.of(transactions);
  }

  Shape shape() {
    return shape;
  }

  /** The rows before it. */
  Step start() {
    return start;
  }

  List<Step> transactions() {
    return transactions;
  }

  /** Whether its changes can be applied one after the other to indexes that check each at once. */
  boolean isValidChangeByChange() {
    return this != ROWS_EXCHANGE_VALUES_DIRECTLY_WITHIN_ONE_TRANSACTION;
  }

  /** Whether rows of it have keys or unique texts that differ only in trailing spaces. */
  boolean differsInBlanksOnly() {
    return this == KEYS_OF_OTHER_CASES_AND_BLANKS_EXCHANGE_VALUES
        || this == TEXTS_OF_OTHER_CASES_BLANKS_AND_ACCENTS_ROTATE
        || this == NULL_AND_THE_EMPTY_TEXT_CHANGE_ROWS;
  }

  /** Whether it means rows of its own only, so that several can be in one window. */
  boolean isOfItsRowsOnly() {
    return this != ROWS_THAT_A_TRUNCATE_TOOK_COME_BACK_WITH_OTHER_VALUES;
  }
}
