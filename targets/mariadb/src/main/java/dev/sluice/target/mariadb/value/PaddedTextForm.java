package dev.sluice.target.mariadb.value;

import java.sql.SQLException;

/**
 * Texts of a CHAR, from which the server removes trailing spaces. PostgreSQL pads such a type with
 * spaces up to its length, and these have no meaning; in a shorter text they do. They are removed
 * here as well, so that a literal or a parameter is equal to the column's value.
 */
record PaddedTextForm(TextForm text) implements ValueForm {

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    Slice loaded = text.loaded(neutral);
    int length = loaded.length();
    while (length > 0 && loaded.at(length - 1) == ' ') {
      length--;
    }
    if (length == loaded.length()) {
      return loaded;
    }
    if (TextForm.countCharacters(loaded) < text.characters()) {
      throw BadValue.of(text.column(), neutral, "a text without trailing spaces");
    }
    return new Slice(loaded.buffer(), loaded.offset(), length);
  }
}
