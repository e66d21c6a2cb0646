import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** Java's own client as people use it: it offers h2c on each call to a plain URL until it was answered once. */
class Client {
  public static void main(String[] args) throws Exception {
    String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    call(args[0], "sized", BodyPublishers.ofString(body));
    call(args[0], "chunked", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)));
    call(args[0], "streamed", BodyPublishers.ofString(body.replace("{\"model\"", "{\"stream\":true,\"model\"")));
    call(args[0], "large", BodyPublishers.ofString(body.replace("\"x\"", "\"" + "x".repeat(3_000_000) + "\"")));
  }

  static void call(String url, String name, HttpRequest.BodyPublisher body) throws Exception {
    // A client each: the offer is made again.
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/v1/chat/completions"))
            .header("content-type", "application/json")
            .header("x-gateway-provider", "@main")
            .POST(body)
            .build();
    for (int i = 0; i < 2; i++) {
      var response = client.send(request, BodyHandlers.ofString());
      boolean isWhole = response.body().contains("hi");
      System.out.println(name + " " + response.statusCode() + " " + response.version() + " " + isWhole);
    }
  }
}
