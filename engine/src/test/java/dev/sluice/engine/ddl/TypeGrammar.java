package dev.sluice.engine.ddl;

import dev.sluice.engine.ddl.SeenCatalog.UserType;

/** Statements about schemas, types and sequences. Owned by one thread. */
final class TypeGrammar {
  private final Words words;

  TypeGrammar(Words words) {
    this.words = words;
  }

  String statement(SeenCatalog catalog) {
    return new Choices<String>(words.random)
        .add(3, () -> schema(catalog))
        .add(4, () -> create(catalog))
        .add(
            5,
            () -> words.any(catalog.types()).map(type -> alter(catalog, type)).orElse("SELECT 13"))
        .add(2, () -> sequence(catalog))
        .get();
  }

  private String schema(SeenCatalog catalog) {
    String schema = words.schema(catalog);
    if (schema.equals("public") || words.random.nextInt(4) == 0) {
      return new Choices<String>(words.random)
          .add(2, () -> "CREATE SCHEMA " + words.newName("n"))
          .add(
              1,
              () ->
                  "CREATE SCHEMA %s CREATE TABLE %s (id int PRIMARY KEY)"
                      .formatted(words.newName("n"), words.newName("t")))
          .get();
    }
    return new Choices<String>(words.random)
        .add(3, () -> "ALTER SCHEMA %s RENAME TO %s".formatted(schema, words.newName("n")))
        .add(1, () -> "DROP SCHEMA %s CASCADE".formatted(schema))
        .add(1, () -> "DROP SCHEMA %s".formatted(schema))
        .get();
  }

  private String create(SeenCatalog catalog) {
    String name = words.schema(catalog) + "." + words.newName("y");
    return new Choices<String>(words.random)
        .add(3, () -> "CREATE TYPE %s AS ENUM ('a', 'b', 'it''s')".formatted(name))
        .add(2, () -> "CREATE TYPE %s AS (id int, c1 text)".formatted(name))
        .add(2, () -> "CREATE DOMAIN %s AS int CHECK (value < 1000)".formatted(name))
        .add(1, () -> "CREATE DOMAIN %s AS text DEFAULT '7'".formatted(name))
        .add(1, () -> "CREATE DOMAIN %s AS int NOT NULL DEFAULT 3".formatted(name))
        .get();
  }

  private String alter(SeenCatalog catalog, UserType type) {
    String kind = type.kind() == 'd' ? "DOMAIN" : "TYPE";
    String alter = "ALTER %s %s ".formatted(kind, type.name());
    Choices<String> choices =
        new Choices<String>(words.random)
            .add(2, () -> alter + "RENAME TO " + words.newName("y"))
            .add(2, () -> alter + "SET SCHEMA " + words.schema(catalog))
            .add(
                1,
                () ->
                    "DROP %s %s%s"
                        .formatted(
                            kind, type.name(), words.random.nextBoolean() ? " CASCADE" : ""));
    switch (type.kind()) {
      case 'e' ->
          choices
              .add(4, () -> alter + "ADD VALUE '%s'".formatted(words.columnName()))
              .add(1, () -> alter + "ADD VALUE '%s' BEFORE 'a'".formatted(words.columnName()));
      case 'd' ->
          choices
              .add(1, () -> alter + "ADD CHECK (value <> '13') NOT VALID")
              .add(1, () -> alter + "ADD CHECK (value <> '99')")
              .add(1, () -> alter + "SET DEFAULT '5'")
              .add(1, () -> alter + "SET NOT NULL")
              .add(1, () -> alter + "DROP NOT NULL");
      default ->
          choices
              .add(3, () -> alter + "ADD ATTRIBUTE %s int CASCADE".formatted(words.columnName()))
              .add(1, () -> alter + "DROP ATTRIBUTE c1 CASCADE")
              .add(1, () -> alter + "ALTER ATTRIBUTE c1 TYPE varchar(99) CASCADE")
              .add(
                  1,
                  () -> alter + "RENAME ATTRIBUTE c1 TO %s CASCADE".formatted(words.columnName()));
    }
    return choices.get();
  }

  private String sequence(SeenCatalog catalog) {
    return new Choices<String>(words.random)
        .add(2, () -> "CREATE SEQUENCE %s.%s".formatted(words.schema(catalog), words.newName("q")))
        .add(
            1,
            () ->
                words
                    .any(catalog.sequences())
                    .map(name -> "ALTER SEQUENCE %s RESTART".formatted(name))
                    .orElse("SELECT 14"))
        .add(
            1,
            () ->
                words
                    .any(catalog.sequences())
                    .map(name -> "DROP SEQUENCE %s".formatted(name))
                    .orElse("SELECT 15"))
        .get();
  }
}
