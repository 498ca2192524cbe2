"""A small inventory: what is in stock, what it costs, and what has to be ordered."""

from dataclasses import dataclass, field


@dataclass
class Item:
    """One article in stock."""

    name: str
    price: float
    quantity: int = 0
    reorder_level: int = 5

    def restock(self, amount: int) -> None:
        """Add some of this article."""
        self.quantity += amount

    def sell(self, amount: int) -> float:
        """Take some of this article out, and return what they cost."""
        if amount > self.quantity:
            raise ValueError(f"only {self.quantity} of {self.name} left")
        self.quantity -= amount
        return amount * self.price


@dataclass
class Inventory:
    """All articles, by name."""

    items: dict[str, Item] = field(default_factory=dict)

    def add(self, item: Item) -> None:
        """Put a new article in."""
        if item.name in self.items:
            raise KeyError(f"{item.name} is there already")
        self.items[item.name] = item

    def find(self, name: str) -> Item:
        """The article of that name."""
        return self.items[name]

    def value(self) -> float:
        """What everything in stock costs together."""
        return sum(item.price * item.quantity for item in self.items.values())

    def to_reorder(self) -> list[Item]:
        """Articles that are running out, the scarcest first."""
        short = [item for item in self.items.values() if item.quantity <= item.reorder_level]
        return sorted(short, key=lambda item: item.quantity)

    def report(self) -> str:
        """A line for each article."""
        lines = []
        for item in self.items.values():
            lines.append(f"{item.name:20} {item.quantity:5} {item.price:8.2f}")
        return "\n".join(lines)


def discount(price: float, percent: float) -> float:
    """The price after a discount."""
    return price * (1 - percent / 100)
