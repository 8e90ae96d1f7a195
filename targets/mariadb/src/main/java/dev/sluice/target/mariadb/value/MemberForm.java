package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;
import java.util.List;

/**
 * Members of an enum or a set, checked here: the server would take a text of digits for the number
 * of a member, and compares texts by the collation.
 *
 * @param several whether a value is a list of members
 */
record MemberForm(TargetColumn column, List<String> members, boolean several) implements ValueForm {

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    String text = neutral.text();
    boolean known =
        several
            ? text.isEmpty() || List.of(text.split(",", -1)).stream().allMatch(members::contains)
            : members.contains(text);
    if (!known) {
      throw BadValue.of(column, neutral, several ? "a list of its members" : "one of its members");
    }
    return neutral;
  }
}
