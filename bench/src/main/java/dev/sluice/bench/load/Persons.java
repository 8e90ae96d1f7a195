package dev.sluice.bench.load;

/** A plain table of people with a primary key. */
public final class Persons implements CsvRows {

  @Override
  public String table() {
    return "person";
  }

  @Override
  public String createTable() {
    return """
        CREATE TABLE public.person (
          id bigint PRIMARY KEY,
          first_name varchar(100),
          last_name varchar(100),
          email varchar(200),
          gender varchar(20),
          age integer,
          city varchar(100),
          created timestamp)
        """;
  }

  @Override
  public String[] row(int number) {
    return new String[] {
      Integer.toString(number + 1),
      "First" + number % 5000,
      "Last" + number % 20_000,
      "person" + number + "@example.com",
      number % 2 == 0 ? "female" : "male",
      Integer.toString(18 + number % 70),
      "City " + number % 900,
      "2026-01-%02d 12:%02d:%02d".formatted(1 + number % 28, number % 60, number / 60 % 60)
    };
  }
}
